import { MongoClient } from 'mongodb';

/** The stores of the stack that is measured. */
export interface Stores {
  readonly mongodbUri: string;
  readonly natsUrl: string;
}

/** The databases that processes of the bench write to. */
export const BENCH_DATABASE = 'fairlead_bench';

/** Removes what they wrote. */
export async function clearStores({ mongodbUri }: Stores): Promise<void> {
  const client = new MongoClient(mongodbUri);
  await client.db(BENCH_DATABASE).dropDatabase();
  await client.close();
}
