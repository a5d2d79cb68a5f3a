/** A body or secret with one common alteration reversed. `bytes` is the presumed original. */
export type Variant = { change: string; advice: string; bytes: Buffer }

/** `result`: the presumed original, or false if the input rules this alteration out. The list is then empty. */
export function variant(change: string, advice: string, result: string | Buffer | false): Variant[] {
  return result === false ? [] : [{ change, advice, bytes: Buffer.from(result) }]
}

export function distinct(variants: Variant[], given: Buffer): Variant[] {
  return variants.filter(({ bytes }, index) => {
    const first = variants.findIndex((other) => other.bytes.equals(bytes))
    return first === index && !bytes.equals(given)
  })
}
