/*
 * Defect of kafkajs 2.2.4: to find the brokers, it reads the metadata of all topics, and fails with LEADER_NOT_AVAILABLE while any
 * partition in the cluster has no leader, even one of another application.
 * Effect: the setup job cannot create or change topics while one broker of a shared cluster is down.
 * Delete this file when kafkajs finds the brokers without metadata of topics.
 */
import Broker from "kafkajs/src/broker/index.js"
import apiKeys from "kafkajs/src/protocol/requests/apiKeys.js"
import protocol from "kafkajs/src/protocol/requests/index.js"
import { sendRequest } from "../../producer/sendRequest.ts"

const { metadata } = Broker.prototype

Broker.prototype.metadata = function (topics) {
  // An empty list requests all topics of the cluster. Their errors stay in the response.
  if (topics.length > 0) return metadata.call(this, topics)
  return sendRequest(this, apiKeys.Metadata, protocol.requests.Metadata, { topics })
}
