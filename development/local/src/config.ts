import { kafkaVariables, portVariable } from "@sitewire/runtime"
import { z } from "zod"
import ports from "../ports.json" with { type: "json" }

export const localVariables = {
  GATEWAY_PORT: portVariable(ports.GATEWAY_PORT, "The trigger gateway."),
  CONSOLE_PORT: portVariable(ports.CONSOLE_PORT, "The management API."),
  PARTNER_PORT: portVariable(ports.PARTNER_PORT, "The demo partner."),
  PROMETHEUS_PORT: portVariable(9095, "Prometheus, which `npm start -- --monitoring` starts."),
  POSTGRES_PORT: portVariable(ports.POSTGRES_PORT, "Postgres, if it is started here."),
  KAFKA_PORT: portVariable(ports.KAFKA_PORT, "Kafka, if it is started here."),
  TOPIC_PREFIX: kafkaVariables.TOPIC_PREFIX,
  DATABASE_URL: z
    .string()
    .optional()
    .meta({ description: "A Postgres of your own, used instead of starting one.", secret: true }),
  KAFKA_BROKERS: z.string().optional().describe("A Kafka of your own, used instead of starting one."),
  BACKING_SERVICES: z
    .enum(["docker", "local"], "must be docker or local")
    .optional()
    .describe("Start Postgres and Kafka only in this way. Not set: Docker if it responds, otherwise local."),
}
