import type { Db } from 'mongodb';

/** Index keys and documents examined by one call's queries, according to MongoDB's profiler. */
export interface QueryCost {
  readonly keys: number;
  readonly documents: number;
  /** Whether a query scanned a collection. */
  readonly isScan: boolean;
}

/** Makes a call; returns the work of this database's queries meanwhile. Nothing else may use the database. */
export async function examinedBy(db: Db, call: () => Promise<unknown>): Promise<QueryCost> {
  const since = new Date();
  await db.command({ profile: 2 });
  try {
    await call();
  } finally {
    await db.command({ profile: 0 });
  }
  const [sum] = await db
    .collection('system.profile')
    .aggregate<QueryCost>([
      { $match: { ts: { $gte: since }, ns: { $ne: `${db.databaseName}.system.profile` } } },
      {
        $group: {
          _id: null,
          keys: { $sum: '$keysExamined' },
          documents: { $sum: '$docsExamined' },
          scans: { $sum: { $cond: [{ $eq: ['$planSummary', 'COLLSCAN'] }, 1, 0] } },
        },
      },
      { $project: { keys: 1, documents: 1, isScan: { $gt: ['$scans', 0] } } },
    ])
    .toArray();
  return sum ?? { keys: 0, documents: 0, isScan: false };
}
