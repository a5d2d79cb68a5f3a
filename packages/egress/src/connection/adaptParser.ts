import type { Socket } from "node:net"
import symbols from "undici/lib/core/symbols.js"

/** Each name and each value is an object, which takes about a hundred times as much as its shortest text. */
const OBJECT_BYTES = 32

/** What llhttp calls. -1 ends the parsing. */
type Parser = {
  readonly socket: Socket
  trackHeader(bytes: number): void
  onHeaderField(name: Buffer): number
  onHeaderValue(value: Buffer): number
}

let isPatched = false

/**
 * Lets undici's limit of a head count each name and each value as an object, and lets its parser end at that limit. undici counts
 * their bytes only, so 16 KiB could be 16,000 headers of 3.6 MB; and beyond the limit it went on through what it had read, and made
 * an error with a stack for each name and each value. Call it with a socket that undici uses.
 */
export function limitHeaders(socket: Socket & { [symbols.kParser]?: Parser | null }): void {
  const parser = socket[symbols.kParser]
  if (isPatched || !parser) return
  isPatched = true
  const prototype: Parser = Object.getPrototypeOf(parser)
  const { trackHeader, onHeaderField, onHeaderValue } = prototype
  prototype.trackHeader = function (bytes) {
    if (!this.socket.destroyed) trackHeader.call(this, bytes + OBJECT_BYTES)
  }
  prototype.onHeaderField = function (name) {
    return this.socket.destroyed ? -1 : onHeaderField.call(this, name)
  }
  prototype.onHeaderValue = function (value) {
    return this.socket.destroyed ? -1 : onHeaderValue.call(this, value)
  }
}
