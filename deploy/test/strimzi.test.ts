import { readFile } from "node:fs/promises"
import { expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import { topicAccess, topicNames } from "../../packages/contracts/src/index.ts"
import { describeTopics, describeUsers, kafkaUser, topicSettings } from "../strimzi.ts"
import { declared } from "../variables.ts"

const settings = topicSettings({})
const readComponent = (file: string) =>
  readFile(new URL(`../examples/strimzi/${file}`, import.meta.url), "utf8")
const outdated = "run: node deploy/strimzi.ts deploy/examples/strimzi"

test("topics.yaml is the topic catalogue, and no controller prunes a topic", async () => {
  const text = await readComponent("topics.yaml")
  expect(text, outdated).toBe(describeTopics(settings))
  const topics = parseAllDocuments(text).map((document) => document.toJS().spec.topicName)
  expect(topics.sort()).toEqual(Object.values(topicNames(settings)).flat().sort())
  for (const document of parseAllDocuments(text))
    expect(document.toJS().metadata.annotations).toEqual({
      "kustomize.toolkit.fluxcd.io/prune": "disabled",
      "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    })
})

test("users.yaml has an account for each process, and for the autoscaler", async () => {
  const text = await readComponent("users.yaml")
  expect(text, outdated).toBe(describeUsers(settings))
  const users = parseAllDocuments(text).map((document) => document.toJS().metadata.name)
  expect(users.sort()).toEqual([...declared.keys(), "autoscaler"].map(kafkaUser).sort())
})

test("a prefix is part of every topic and group that an account may use", () => {
  const users = parseAllDocuments(describeUsers({ ...settings, prefix: "eu." }))
  const names = users.flatMap((document) =>
    document.toJS().spec.authorization.acls.map((acl: { resource: { name: string } }) => acl.resource.name),
  )
  expect(names.length).toBeGreaterThan(20)
  for (const name of names) expect(name).toMatch(/^eu\./)
})

test("nobody but the dispatcher and the console may write to a topic that another service reads", () => {
  const { sitePaid, retry } = topicNames(settings)
  const writers = (topic: string) =>
    topicAccess(settings).flatMap(({ process, write }) => (write.includes(topic) ? [process] : []))
  expect(writers(sitePaid)).toEqual(["console"])
  for (const topic of retry) expect(writers(topic)).toEqual(["webhook-dispatcher"])
})
