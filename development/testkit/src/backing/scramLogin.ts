import type { ClientLogin } from "./local/startLocalKafka.ts"

const modules = "org.apache.kafka.common.security"

/** Clients log in by SCRAM, and the broker enforces ACLs, which bind neither `admin` nor the controller's listener: it has no login. */
export function scramLogin(usernames: readonly string[], password: string): ClientLogin {
  const plain = `${modules}.plain.PlainLoginModule required username="admin" password="${password}" user_admin="${password}";`
  return {
    protocol: "SASL_PLAINTEXT",
    settings: {
      "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users": "User:admin;User:ANONYMOUS",
      "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
      "sasl.mechanism.inter.broker.protocol": "PLAIN",
      "listener.name.sasl_plaintext.plain.sasl.jaas.config": plain,
      "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": `${modules}.scram.ScramLoginModule required;`,
    },
    format: ["admin", ...usernames].flatMap((name) => [
      "--add-scram",
      `SCRAM-SHA-512=[name=${name},password=${password}]`,
    ]),
  }
}
