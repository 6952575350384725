import { MongoClient } from 'mongodb';

/** The stores of the measured stack. */
export interface Stores {
  readonly mongodbUri: string;
  readonly natsUrl: string;
}

/** The databases to which the benchmark's processes write. */
export const BENCH_DATABASE = 'fairlead_bench';

/** Removes what they wrote. */
export async function clearStores({ mongodbUri }: Stores): Promise<void> {
  const client = new MongoClient(mongodbUri);
  await client.db(BENCH_DATABASE).dropDatabase();
  await client.close();
}
