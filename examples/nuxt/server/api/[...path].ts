export default defineEventHandler((event) =>
  placard.fetch(toWebRequest(event), { address: getRequestIP(event) }),
)
