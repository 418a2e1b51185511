export * from '../client/client.ts'
