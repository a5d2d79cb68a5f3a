import { expect, test } from "vitest"
import { parseTraceparent } from "./traceparent.ts"

const traceId = "0af7651916cd43dd8448eb211c80319c"
const spanId = "b7ad6b7169203331"

test("a traceparent of version 00 and the known beginning of a later version are read", () => {
  expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, sampled: true })
  expect(parseTraceparent(`00-${traceId}-${spanId}-02`)).toEqual({ traceId, spanId, sampled: false })
  expect(parseTraceparent(`cc-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, sampled: true })
})

test.each([
  undefined,
  null,
  "",
  "00-not-a-trace",
  `ff-${traceId}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-01 `,
  `00-${traceId}-${spanId}-1`,
  `cc-${traceId}-${spanId}-01x`,
  `cc-${traceId}-${spanId}-01-${"x".repeat(1_000)}`,
])("%s is ignored", (text) => expect(parseTraceparent(text)).toBeNull())
