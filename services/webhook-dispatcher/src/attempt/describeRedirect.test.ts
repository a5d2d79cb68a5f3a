import { expect, test } from "vitest"
import { describeRedirect } from "./describeRedirect.ts"

const from = "https://partner.example/hook/secret-path?key=secret-query"

test("a redirect names the server that it leads to, and never a path, a query or a password", () => {
  const said = (location: string) => describeRedirect(301, location, from)
  expect(said("https://www.partner.example/hook/secret-path?key=secret-query")).toBe(
    "redirects are not followed: it leads to https://www.partner.example; the channel's address must be the final one",
  )
  expect(said("//other.example:8443/secret")).toContain("leads to https://other.example:8443;")
  expect(said("http://user:secret@other.example/")).toContain("leads to http://other.example;")
  expect(said("/hook/secret-path/")).toContain("leads to another path of the same server;")
  expect(said("?secret")).toContain("leads to another path of the same server;")
  for (const odd of [
    "mailto:secret@example.org",
    "http://",
    "javascript:secret",
    `https://${"a".repeat(300)}/`,
  ])
    expect(said(odd)).toBe("redirects are not followed, and where this one leads is no web address")
})

test("another answer is no redirect, nor is one that does not say where to", () => {
  expect(describeRedirect(201, "/made", from)).toBeNull()
  expect(describeRedirect(503, "/busy", from)).toBeNull()
  expect(describeRedirect(304, undefined, from)).toBeNull()
})
