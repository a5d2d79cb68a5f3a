import { parse } from "node:url"
import { expect, test } from "vitest"
import { requestPath } from "./requestPath.ts"

test.each([
  ["/a/b?c=//d", "/a/b?c=//d"],
  ["http://user@host:abc/a?b", "/a?b"],
  ["http://host", "/"],
  ["http://host?a", "/?a"],
  ["*", "/*"],
  ["//user@host:abc/a#", "/.//user@host:abc/a#"],
  ["http://host//user@host:abc/a#", "/.//user@host:abc/a#"],
  ["/\\user@host:abc/a#", "/./\\user@host:abc/a#"],
  ["\\\\user@host:abc/a#", "/./\\\\user@host:abc/a#"],
  ["http:\\\\user@host:abc/a#", "/http:\\\\user@host:abc/a#"],
])("of the target %s, %s is read, in which Node finds no host", (target, path) => {
  expect(requestPath(target)).toBe(path)
  expect(parse(path).host).toBeNull()
})
