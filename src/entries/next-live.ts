'use client'

export * from '../next/live.tsx'
