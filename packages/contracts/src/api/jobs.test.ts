import { expect, test } from "vitest"
import { createErasureJobSchema } from "./jobs.ts"

test.each([
  ["as in the URL", "https://shop.example/", "closed: shop.example"],
  ["in capital letters", "https://shop.example/", "closed: SHOP.Example"],
  ["without the trailing dot", "https://shop.example./", "closed: shop.example"],
  ["in Unicode, for a URL in Punycode", "https://xn--bcher-example-wob.de/", "closed: bücher-example.de"],
  ["in Unicode, as in the URL", "https://bücher-example.de/", "closed: Bücher-Example.de"],
  ["in decomposed Unicode", "https://bücher-example.de/", "closed: bu\u0308cher-example.de"],
  ["in Punycode, for a URL in Unicode", "https://bücher-example.de/", "closed: xn--bcher-example-wob.de"],
])("an erasure's reason must not contain the site's host %s", (_, site_url, reason) => {
  const faults = createErasureJobSchema.safeParse({ site_url, reason }).error?.issues
  expect(faults).toMatchObject([
    {
      path: ["reason"],
      message: "must not contain the site's host, because the reason is never erased",
    },
  ])
  expect(createErasureJobSchema.safeParse({ site_url, reason: "closed: ticket 9" }).success).toBe(true)
})
