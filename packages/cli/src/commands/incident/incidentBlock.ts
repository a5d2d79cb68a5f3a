import type { Incident } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function incidentBlock(incident: Incident, style: Style): string {
  const { acknowledgement } = incident
  return block(style, [
    ["id", incident.id],
    ["incident", incident.summary],
    ["detail", incident.detail || null],
    ["since", style.time(incident.since)],
    ["acknowledged", acknowledgement ? `by ${acknowledgement.by}, until it is resolved` : "no"],
    ["note", acknowledgement?.note ?? null],
    ["next step", `${incident.next_step} ${incident.command}`],
  ])
}
