import { expect, test } from "vitest"
import { describeRedirect } from "./sendRequest.ts"

const from = "https://partner.example/hook/secret-path?key=secret-query"

test("the description of a redirect names its target server, and never a path, a query or a password", () => {
  const describe = (location: string) => describeRedirect(301, location, from)
  expect(describe("https://www.partner.example/hook/secret-path?key=secret-query")).toBe(
    "redirects are not followed: this one points to https://www.partner.example; set the channel's address to the final one",
  )
  expect(describe("//other.example:8443/secret")).toContain("points to https://other.example:8443;")
  expect(describe("http://user:secret@other.example/")).toContain("points to http://other.example;")
  expect(describe("/hook/secret-path/")).toContain("points to another path of the same server;")
  expect(describe("?secret")).toContain("points to another path of the same server;")
  for (const odd of [
    "mailto:secret@example.org",
    "http://",
    "javascript:secret",
    `https://${"a".repeat(300)}/`,
  ])
    expect(describe(odd)).toBe("redirects are not followed, and this one does not point to a web address")
})

test("a response without a redirect status or a Location header is not described", () => {
  expect(describeRedirect(201, "/made", from)).toBeNull()
  expect(describeRedirect(503, "/busy", from)).toBeNull()
  expect(describeRedirect(304, undefined, from)).toBeNull()
})
