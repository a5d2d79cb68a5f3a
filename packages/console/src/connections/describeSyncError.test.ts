import { expect, test } from "vitest"
import { describeSyncError } from "./describeSyncError.ts"

test("an error is a sentence without its class, with a next step, and a sync without an error has neither", () => {
  expect(describeSyncError("dns", null)).toEqual({
    reason: "the name of the source's host could not be resolved",
    nextStep: "Check the host in the source's URL.",
  })
  expect(describeSyncError(null, null)).toBeNull()
})

test.each([
  [204, "204 No Content", "200 and the whole data"],
  [401, "401 Unauthorized", "credential"],
  [403, "403 Forbidden", "credential"],
  [404, "404 Not Found", "Correct the source's URL"],
  [301, "301 Moved Permanently", "Change the source to the URL"],
  [304, "304 Not Modified", "Ask the partner why"],
  [429, "429 Too Many Requests", "one request a minute"],
  [502, "502 Bad Gateway", "when its server works again"],
  [599, "599", "when its server works again"],
])("the status %i is a sentence, and its next step fits it", (status, reason, nextStep) => {
  const described = describeSyncError("status", status)
  expect(described?.reason).toBe(`the source responded with ${reason}`)
  expect(described?.nextStep).toContain(nextStep)
})

test("an error of a newer scheduler is named in a sentence", () => {
  expect(describeSyncError("quota", null)?.reason).toBe(
    "there was an error that this console does not know (quota)",
  )
})
