export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "UNKNOWN"
  return typeof error.code === "string" ? error.code : "UNKNOWN"
}
