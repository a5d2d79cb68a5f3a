/** A body or secret with one common alteration reversed. `bytes` is the presumed original. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/**
 * `result` is false if the alteration cannot have happened. There is no variant then, and the list is empty.
 */
export function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

export function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const first = variants.findIndex((other) => other.bytes.equals(bytes))
    return first === index && !bytes.equals(given)
  })
}
