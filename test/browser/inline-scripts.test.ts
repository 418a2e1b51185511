import { createHash } from 'node:crypto'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { PlacardBar } from '../../src/bar/placard-bar.tsx'
import { placardHtml } from '../../src/bar/placard-html.ts'
import { dismissScript, endScript } from '../../src/bar/scripts.ts'
import { brokenPolicies, SAMPLES, stageForFile } from './stage.ts'

const stage = stageForFile()

it('contract N4: an open page hides the bar within 1 s of the end, under a strict policy, one that comes later too, and shows it again when the end is put off or taken away', async () => {
  const page = await stage.page()
  await page.clock.install({ time: 0 })
  const hash = createHash('sha256').update(endScript).digest('base64')
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; require-trusted-types-for 'script'`
  const bar = placardHtml({ event: { ...SAMPLES.coupon, expiresAt: 60_000 }, hideAtEnd: true })
  await page.goto(stage.host(bar, { 'content-security-policy': policy }))
  const visible = () => page.locator('.placard').first().isVisible()
  await page.clock.pauseAt(59_000)
  expect(await visible()).toBe(true)
  await page.clock.runFor(1_990)
  expect(await visible()).toBe(false)

  // As React puts it there, without running its script.
  await page.evaluate(() => {
    const later = document.querySelector('.placard')?.cloneNode(true) as HTMLElement
    later.hidden = false
    later.dataset.until = String(Date.now() + 5_000)
    document.body.prepend(later)
  })
  expect(await visible()).toBe(true)
  await page.clock.runFor(5_990)
  expect(await visible()).toBe(false)
  // The same announcement again, with a later end: React keeps the element.
  await page.evaluate(() => {
    const bar = document.querySelector<HTMLElement>('.placard')
    if (bar) bar.dataset.until = String(Date.now() + 5_000)
  })
  await page.clock.runFor(990)
  expect(await visible()).toBe(true)
  await page.clock.runFor(5_000)
  expect(await visible()).toBe(false)
  // And once more without an end: React takes the attribute away.
  await page.evaluate(() => document.querySelector('.placard')?.removeAttribute('data-until'))
  await page.clock.runFor(990)
  expect(await visible()).toBe(true)
  expect(await brokenPolicies(page)).toEqual([])
})

it('a bar that comes without a load of the page can be closed, and stays closed', async () => {
  const page = await stage.page()
  const hash = createHash('sha256').update(dismissScript).digest('base64')
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; require-trusted-types-for 'script'`
  const nothing = renderToStaticMarkup(createElement(PlacardBar, { dismissible: true }))
  const samples = [SAMPLES.coupon, SAMPLES.post]
  const bars = samples.map((event) => placardHtml({ event, dismissible: true }))
  const templates = bars.map((bar) => `<template>${bar}</template>`).join('')
  await page.goto(stage.host(nothing + templates, { 'content-security-policy': policy }))
  for (const [index, { text }] of samples.entries()) {
    // As React puts it there, without running its script.
    await page.evaluate((index) => {
      const template = document.querySelectorAll('template')[index]
      const bar = template?.content.querySelector('.placard')
      if (bar) document.body.prepend(bar)
    }, index)
    const bar = page.locator('.placard', { hasText: text })
    await expect.poll(() => bar.isVisible()).toBe(true)
    await bar.locator('.placard-close').click()
    expect(await bar.isVisible()).toBe(false)
  }
  await page.goto(stage.host(bars.join(''), { 'content-security-policy': policy }))
  expect(await page.locator('.placard').count()).toBe(2)
  expect(await page.locator('.placard:visible').count()).toBe(0)
  expect(await brokenPolicies(page)).toEqual([])
})

it('contract N4: a bar that is served after the end is hidden before it is painted', async () => {
  const page = await stage.page()
  const bar = placardHtml({
    event: { ...SAMPLES.coupon, expiresAt: Date.now() - 1 },
    hideAtEnd: true,
  })
  const look = `<script>wasVisible = document.querySelector('.placard').checkVisibility()</script>`
  await page.goto(stage.host(bar + look))
  expect(await page.evaluate('wasVisible')).toBe(false)
})
