export const exitCodes = { success: 0, failed: 1, incorrectUsage: 2, unreachable: 3 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodeHelp = `
Exit codes:
  ${exitCodes.success}  success
  ${exitCodes.failed}  the request was rejected or failed, the response to a change was lost, a signature is invalid,
     a trigger was not accepted, a receiver failed a test, a job was cancelled,
     a reconciliation found exceptions, doctor found a fault, or a confirmation was refused
  ${exitCodes.incorrectUsage}  incorrect usage: an argument, option, variable or file is missing or invalid
  ${exitCodes.unreachable}  the management API, the gateway or Kafka cannot be reached`
