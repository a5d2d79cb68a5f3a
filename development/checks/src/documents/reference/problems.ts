import { problemCodes } from "@sitewire/contracts"

export function problemsPage(): string {
  const sections = Object.entries(problemCodes).map(
    ([code, { status, meaning, remedy }]) => `## ${code}\n\n**${status}.** ${meaning} ${remedy}`,
  )
  return [
    "# Problem codes",
    "Every error response of the management API is a problem document (RFC 9457). Its `code` names the cause, and its `type` is the path of the console that explains the code. Codes keep their meaning; programs may compare them.",
    ...sections,
  ].join("\n\n")
}
