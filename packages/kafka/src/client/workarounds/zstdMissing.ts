/*
 * Defect of kafkajs 2.2.4: of Kafka's codecs it has gzip only. Node can decompress zstd, too.
 * Effect: a batch compressed with zstd stops all consumers of its topic, where the broker stores what the publisher compressed.
 * Delete this file when kafkajs decompresses zstd.
 */
import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import kafkajs from "kafkajs"

const compress = promisify(zstdCompress)

kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { buffer: Buffer }) => compress(buffer),
  decompress: promisify(zstdDecompress),
})
