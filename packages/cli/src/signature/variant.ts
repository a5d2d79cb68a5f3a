/** A body or secret with one common alteration reversed. `bytes` is the presumed original. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/** Returns an empty list if `result` is false, because then the alteration cannot have happened. */
export function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

export function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const first = variants.findIndex((other) => other.bytes.equals(bytes))
    return first === index && !bytes.equals(given)
  })
}
