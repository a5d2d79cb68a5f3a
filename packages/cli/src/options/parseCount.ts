import { InvalidArgumentError } from "commander"

export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError("It must be a whole number of at least 1.")
  }
  return count
}
