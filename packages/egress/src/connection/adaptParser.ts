import type { Socket } from "node:net"
import symbols from "undici/lib/core/symbols.js"

/** Each name and each value is an object, which takes about a hundred times as much as its shortest text. */
const OBJECT_BYTES = 32

const statusLine = Symbol("status")

export type ParsedSocket = Socket & { [statusLine]?: number; [symbols.kParser]?: Parser | null }

/** What llhttp calls. -1 ends the parsing. */
type Parser = {
  readonly socket: ParsedSocket
  readonly llhttp: { llhttp_get_status_code(parser: number): number }
  readonly ptr: number
  trackHeader(bytes: number): void
  onStatus(text: Buffer): number
  onHeaderField(name: Buffer): number
  onHeaderValue(value: Buffer): number
  onHeadersComplete(status: number, upgrade: boolean, keepAlive: boolean): number
}

let isPatched = false

/** The status of the newest response, also if its head is not complete or not valid. 0 before it. */
export const statusOf = (socket: ParsedSocket | undefined): number => socket?.[statusLine] ?? 0

export function forgetStatus(socket: ParsedSocket): void {
  socket[statusLine] = 0
}

/**
 * Changes undici's parser. Call it with a socket that undici uses.
 *
 * - The limit of a head counts each name and each value as an object, and ends the parsing. undici counts their bytes only, so
 *   16 KiB could be 16,000 headers of 3.6 MB; and beyond the limit it went on through what it had read, and made an error with a
 *   stack for each name and each value.
 * - The status is known before the head is complete.
 * - An unasked 100 is skipped like all 1xx (RFC 9110, 15.2). undici takes it for an error.
 */
export function adaptParser(socket: ParsedSocket): void {
  const parser = socket[symbols.kParser]
  if (isPatched || !parser) return
  isPatched = true
  const prototype: Parser = Object.getPrototypeOf(parser)
  const { trackHeader, onStatus, onHeaderField, onHeaderValue, onHeadersComplete } = prototype
  prototype.trackHeader = function (bytes) {
    if (!this.socket.destroyed) trackHeader.call(this, bytes + OBJECT_BYTES)
  }
  prototype.onStatus = function (text) {
    noteStatus(this)
    return onStatus.call(this, text)
  }
  prototype.onHeaderField = function (name) {
    noteStatus(this)
    return this.socket.destroyed ? -1 : onHeaderField.call(this, name)
  }
  prototype.onHeaderValue = function (value) {
    return this.socket.destroyed ? -1 : onHeaderValue.call(this, value)
  }
  prototype.onHeadersComplete = function (status, upgrade, keepAlive) {
    return onHeadersComplete.call(this, status === 100 ? 102 : status, upgrade, keepAlive)
  }
}

/** Called for a header, too, because a status line may end after the code. */
function noteStatus({ socket, llhttp, ptr }: Parser): void {
  socket[statusLine] = llhttp.llhttp_get_status_code(ptr)
}
