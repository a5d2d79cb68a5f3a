import {
  acknowledgeIncidentSchema,
  incidentPageSchema,
  incidentQuerySchema,
  incidentSchema,
} from "../api/incidents.ts"
import { idParameter } from "./parameters.ts"
import type { Route } from "./route.ts"

export const incidentRoutes = {
  listIncidents: {
    method: "get",
    path: "/v1/incidents",
    summary: "List incidents of the installation",
    allow: { read: "all" },
    description:
      "What is wrong now (`open`: our own faults first, then by dead and waiting deliveries, last what is acknowledged), and what was (`resolved`, newest first). Dead deliveries of a channel that fails are part of its `channel.failing`, and are listed apart only with `kind`. An incident that comes back within five minutes is the same one. At most 100 incidents of a kind are open at a time; those beyond are one incident with the subject `*`. Resolved ones are stored as long as the audit log, at most the newest 100,000.",
    query: incidentQuerySchema,
    success: { status: 200, description: "A page of incidents.", schema: incidentPageSchema },
  },
  acknowledgeIncident: {
    method: "post",
    path: "/v1/incidents/{id}/acknowledge",
    summary: "Acknowledge an incident",
    allow: { operate: "all" },
    description:
      "Until the incident is resolved, it is shown as one that somebody cares for. If it comes back later, it is a new incident, which is not acknowledged. Acknowledging it again replaces the note.",
    params: idParameter,
    body: acknowledgeIncidentSchema,
    success: { status: 200, description: "The acknowledged incident.", schema: incidentSchema },
    otherResponses: { 409: "The incident is resolved." },
  },
  withdrawAcknowledgement: {
    method: "delete",
    path: "/v1/incidents/{id}/acknowledge",
    summary: "Withdraw the acknowledgement of an incident",
    allow: { operate: "all" },
    description: "If the incident is not acknowledged, nothing changes.",
    params: idParameter,
    success: { status: 200, description: "The incident.", schema: incidentSchema },
    otherResponses: { 409: "The incident is resolved." },
  },
} satisfies Record<string, Route>
