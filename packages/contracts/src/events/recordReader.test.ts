import fc from "fast-check"
import { expect, test } from "vitest"
import { validationMessage } from "../values/validationMessage.ts"
import { connectorTriggeredSchema } from "./connectorTriggered.ts"
import { recordReader } from "./recordReader.ts"
import { retryRecordSchema } from "./retryRecord.ts"
import { sitePaidSchema } from "./sitePaid.ts"

const readValue = recordReader(sitePaidSchema)
const read = (text: string) => readValue(Buffer.from(text))

test("the reason of an invalid record names fields and rules, and never a value", () => {
  const secret = "owner@shop.example"
  for (const text of [
    secret,
    `{"email":"${secret}"`,
    JSON.stringify({ id: secret, email: `${secret} ${secret}` }),
    `"${secret}"`,
  ]) {
    const result = read(text)
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result)).not.toContain("shop.example")
  }
  expect(read(JSON.stringify({ email: "x" }))).toMatchObject({
    reason: expect.stringContaining("email must be one e-mail address"),
  })
})

test("no value, invalid UTF-8 and invalid JSON have reasons of their own", () => {
  expect(readValue(null)).toEqual({ ok: false, reason: "no value (a tombstone)" })
  expect(readValue(Buffer.from([0x7b, 0xff]))).toEqual({ ok: false, reason: "not UTF-8" })
  expect(read("{")).toEqual({ ok: false, reason: "not JSON" })
})

const utf16 = Buffer.from("{}", "utf16le")

test.each([
  [Buffer.from('\0\0\0\0\u0007{"id":"order-1"}'), "not JSON: begins with a schema registry's header"],
  [Buffer.from([0, 0, 0, 200, 9, 2, 0x66]), "not UTF-8: begins with a schema registry's header"],
  [utf16, "not JSON: is UTF-16"],
  [Buffer.from(utf16).swap16(), "not JSON: is UTF-16"],
  [Buffer.from("\ufeff{}", "utf16le"), "not UTF-8: is UTF-16"],
  [Buffer.from('{"specversion":"1.0","data":{}}'), "value is a CloudEvents envelope"],
  [Buffer.from('{"schema":{},"payload":{}}'), "value is an envelope of Kafka Connect"],
])("the reason of %s says what it seems to be, and what to do", (value, reason) => {
  expect(readValue(value)).toMatchObject({ ok: false, reason: expect.stringMatching(`^${reason}; `) })
})

test("a reason states each field's mistake in plain words", () => {
  const fields = {
    channel: 7,
    reference: "",
    site_url: "/relative",
    console_url: "https://console.example/shop",
    name: "n".repeat(513),
    email: "no address",
    created_at: "2030-01-02T03:04:05",
  }
  expect(read(JSON.stringify(fields))).toEqual({
    ok: false,
    reason: [
      "id is required",
      "channel must be a string",
      "site_url must be an absolute http or https URL with a host, such as https://shop.example",
      "name must have at most 512 characters",
      "email must be one e-mail address",
      "created_at needs a UTC offset, such as 2026-03-01T12:00:00Z",
    ].join("; "),
  })
  expect(read("[]")).toEqual({ ok: false, reason: "value must be an object" })
})

const since = "2030-01-02T03:04:05Z"
const valid = {
  paid: {
    id: "evt-1",
    channel: "shop",
    reference: "r",
    site_url: "https://shop.example",
    console_url: "https://console.example/shop",
    name: "Shop",
    email: "owner@shop.example",
    created_at: "2030-01-02T03:04:05+02:00",
  },
  due: { delivery: "019aa000-0000-7000-8000-000000000000", attempt: 2 },
  triggered: { connection: "conn", first_at: since, last_at: since, count: 3, correlation: "c" },
}

test.each([
  { schema: sitePaidSchema, record: valid.paid },
  { schema: retryRecordSchema, record: valid.due },
  { schema: connectorTriggeredSchema, record: valid.triggered },
])(
  "a compiled schema accepts and rejects the same records as the schema, with the same reasons ($schema.description)",
  ({ schema, record }) => {
    const readCompiled = recordReader<unknown>(schema)
    const field = fc.constantFrom(...Object.keys(record), "unknown")
    const changes = fc.dictionary(
      field,
      fc.oneof(fc.jsonValue(), fc.webUrl(), fc.emailAddress(), fc.string({ unit: "binary" })),
    )
    expect(readCompiled(Buffer.from(JSON.stringify(record)))).toEqual({ ok: true, value: record })
    fc.assert(
      fc.property(changes, fc.subarray(Object.keys(record)), fc.boolean(), (changed, dropped, drops) => {
        const changedRecord: Record<string, unknown> = { ...record, ...changed }
        if (drops) for (const name of dropped) delete changedRecord[name]
        const bytes = Buffer.from(JSON.stringify(changedRecord))
        const expected = schema.safeParse(JSON.parse(bytes.toString()), { error: validationMessage })
        const read = readCompiled(bytes)
        expect(read).toEqual(
          expected.success
            ? { ok: true, value: expected.data }
            : {
                ok: false,
                reason: expected.error.issues
                  .map(({ path, message }) => `${path.join(".")} ${message}`)
                  .join("; "),
              },
        )
      }),
    )
  },
)
