import type { Db } from 'mongodb';

/** The index keys and documents that the queries of one call examined, as MongoDB's profiler counts them. */
export interface Examined {
  readonly keys: number;
  readonly documents: number;
  /** Whether a query read a whole collection. */
  readonly isScan: boolean;
}

/** Makes a call, and returns what the queries in this database examined while it ran. Nothing else may use the database meanwhile. */
export async function examinedBy(db: Db, call: () => Promise<unknown>): Promise<Examined> {
  const since = new Date();
  await db.command({ profile: 2 });
  try {
    await call();
  } finally {
    await db.command({ profile: 0 });
  }
  const [sum] = await db
    .collection('system.profile')
    .aggregate<Examined>([
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
