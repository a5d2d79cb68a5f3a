import kafkajs, { type PartitionAssigner } from "kafkajs"

/**
 * Gives partitions of one number, over all topics of a group, to one member: records with one key, which is in the same
 * partition of each topic with as many, are then seen by one process. kafkajs's own assigner counts on from topic to
 * topic, so that this holds for some numbers of members and not for others.
 */
export const assignTogether: PartitionAssigner = ({ cluster }) => {
  const name = "TogetherAssigner"
  const version = 0
  return {
    name,
    version,
    async assign({ members, topics }) {
      const ids = members.map(({ memberId }) => memberId).toSorted()
      return ids.map((memberId, at) => {
        const assignment: Record<string, number[]> = {}
        for (const topic of topics) {
          const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId)
          assignment[topic] = partitions.filter((partition) => partition % ids.length === at)
        }
        const content = { version, assignment, userData: Buffer.alloc(0) }
        return { memberId, memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode(content) }
      })
    },
    protocol({ topics }) {
      const metadata = { version, topics, userData: Buffer.alloc(0) }
      return { name, metadata: kafkajs.AssignerProtocol.MemberMetadata.encode(metadata) }
    },
  }
}
