import { expect, test } from "vitest"
import { createErasureJobSchema } from "./jobs.ts"

test.each([
  ["as it was given", "https://shop.example/", "closed: shop.example"],
  ["in capitals", "https://shop.example/", "closed: SHOP.Example"],
  ["without the full stop behind it", "https://shop.example./", "closed: shop.example"],
  ["in letters of its own", "https://xn--bcher-example-wob.de/", "closed: bücher-example.de"],
  ["in letters that were given", "https://bücher-example.de/", "closed: Bücher-Example.de"],
  ["in composed letters", "https://bücher-example.de/", "closed: bu\u0308cher-example.de"],
  ["as name servers call it", "https://bücher-example.de/", "closed: xn--bcher-example-wob.de"],
])("an erasure's reason must not hold the site's host %s", (_, site_url, reason) => {
  const faults = createErasureJobSchema.safeParse({ site_url, reason }).error?.issues
  expect(faults).toMatchObject([{ message: "reason must not hold the site's address: it is kept" }])
  expect(createErasureJobSchema.safeParse({ site_url, reason: "closed: ticket 9" }).success).toBe(true)
})
