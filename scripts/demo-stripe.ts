/**
 * `npm run demo:stripe`: a coupon with five redemptions sells out, and the bar disappears. It runs a service and a
 * stand-in for Stripe on this machine, and stops both at the end.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SECRET, SIGNING_SECRET, startPlacard } from '../bench/processes.ts'
import { current, historyOf, httpMount, notify } from '../test/harness.ts'
import { KEY, startFakeStripe } from '../test/stripe/fake.ts'

const stripe = await startFakeStripe(Date.now)
const service = await startPlacard({ STRIPE_API_KEY: KEY, STRIPE_API_URL: stripe.url })
const placard = httpMount(service.url, SECRET, SIGNING_SECRET)

const began = performance.now()
function say(text: string) {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}
const bar = async () => {
  const event = await current(placard)
  return event ? `The bar says: ${event.text}` : 'There is no bar.'
}

try {
  say(`Placard runs at ${service.url} and asks a stand-in for Stripe at ${stripe.url}.`)
  const created = stripe.create({
    id: 'FIVE',
    name: '50% off for the first five',
    percentOff: 50,
    maxRedemptions: 5,
  })
  await notify(placard, created)
  say(`Stripe sends a notification about a coupon that can be redeemed 5 times. ${await bar()}`)
  for (let sold = 1; sold <= 5; sold++) {
    await wait(700)
    const sale = stripe.redeem('FIVE')
    say(`${sold} of 5 sold. ${await bar()}`)
    // Stripe sends no notification about the coupon. The one about the sale makes Placard ask Stripe immediately.
    if (sold === 5) await notify(placard, sale)
  }
  const soldOut = performance.now()
  while (await current(placard)) await wait(20)
  say(
    `${await bar()} It disappeared ${Math.round(performance.now() - soldOut)} ms after the last sale.`,
  )
  const [down] = await historyOf(placard)
  say(`The reason in the history: ${down?.reason}`)
  say(`Placard sent Stripe ${stripe.asked.length} requests.`)
} finally {
  await service.stop()
  await stripe.close()
}
