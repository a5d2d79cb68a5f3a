import { kafkaVariables, portVariable, processVariables } from "@sitewire/runtime"
import { z } from "zod"

export const localVariables = {
  GATEWAY_PORT: portVariable(8080, "The trigger gateway."),
  CONSOLE_PORT: portVariable(8090, "The management API."),
  PARTNER_PORT: portVariable(8095, "The demo partner."),
  PROMETHEUS_PORT: portVariable(9095, "Prometheus, which `npm start -- --monitoring` starts."),
  POSTGRES_PORT: portVariable(15432, "Postgres, if it is started here."),
  KAFKA_PORT: portVariable(19092, "Kafka, if it is started here."),
  TOPIC_PREFIX: kafkaVariables.TOPIC_PREFIX,
  LOG_LEVEL: processVariables.LOG_LEVEL,
  DATABASE_URL: z
    .string()
    .optional()
    .meta({ description: "A Postgres of your own, used instead of starting one.", secret: true }),
  KAFKA_BROKERS: z
    .string()
    .optional()
    .meta({ description: "A Kafka of your own, used instead of starting one." }),
  BACKING_SERVICES: z.enum(["docker", "local"], "must be docker or local").optional().meta({
    description:
      "Start Postgres and Kafka only in this way. Not set: Docker if it responds, otherwise local.",
  }),
}
