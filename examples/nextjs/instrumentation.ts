export async function register() {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { placard } = await import('./placard')
    placard.watch()
  }
}
