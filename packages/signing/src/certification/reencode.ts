/**
 * The same JSON in other bytes: with white space, and with `/` and all characters outside ASCII escaped. A receiver
 * that parses and serialises a body before it verifies cannot distinguish the two.
 */
export function reencode(body: Buffer): Buffer {
  const text = JSON.stringify(JSON.parse(body.toString("utf8")), null, 2)
    .replaceAll("/", "\\/")
    .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return Buffer.from(text)
}
