/** For an input of the type datetime-local, which has no zone. */
export function toLocal(iso: string | undefined): string {
  const at = new Date(iso ?? "")
  if (Number.isNaN(at.getTime())) return ""
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export function fromLocal(text: string): string | undefined {
  const at = new Date(text)
  return text === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
