import type { CopiedCheckout } from '../setup/copied-checkout.ts';

/** The migration that only the newer release has. */
export const NEW_MIGRATION = '2999-01-test-notes';
/** The note that the migration adds to a connection without one. */
export const MIGRATED_NOTE = 'migrated';
const NEW_INDEX = 'test_note';
/** The indexes that only the newer release declares, in two databases: `<database>/<collection>/<index>`. */
export const NEW_INDEXES = [
  `fairlead_connections/connections/${NEW_INDEX}`,
  `fairlead_identity/users/${NEW_INDEX}`,
];

/**
 * Turns a copy of this tree into the next release: connections get a member `testNote` in requests and responses, a migration for existing
 * connections, and an index; identity's users get an index, too.
 */
export async function createNewerRelease(checkout: CopiedCheckout): Promise<void> {
  const { edit } = checkout;
  const proto = 'proto/fairlead/connections/v1';
  const service = 'services/connections/src';
  await edit(`${proto}/connection.proto`, appendMember('Connection'));
  await edit(`${proto}/connection_service.proto`, appendMember('CreateConnectionRequest'));
  const generated = checkout.run('buf', ['generate']);
  if (generated.status !== 0) throw new Error(`buf generate failed: ${generated.output}`);

  await edit(`${service}/domain/details.ts`, (text) =>
    text.replace('readonly metadata: LazyJson;', '$&\n  readonly testNote?: string;'),
  );
  await edit(`${service}/rpc/convert-connection.ts`, (text) =>
    text
      .replace('id: connection.id,', "$&\n    testNote: connection.testNote ?? '',")
      .replace(
        'description: request.description ?? null,',
        "$&\n    ...('testNote' in request && request.testNote !== '' && { testNote: request.testNote }),",
      ),
  );
  for (const collection of [
    `${service}/storage/connection.collection.ts`,
    'services/identity/src/storage/user.collection.ts',
  ])
    await edit(collection, (text) =>
      text.replace('indexes: [', `$&\n    { key: { accountId: 1, testNote: 1 }, name: '${NEW_INDEX}' },`),
    );
  await edit(`${service}/storage/schema.ts`, (text) =>
    text.replace(
      'migrations: [',
      `$&
    {
      id: '${NEW_MIGRATION}',
      up: async (db) => {
        const connections = db.collection('connections');
        await connections.updateMany({ testNote: { $exists: false } }, { $set: { testNote: '${MIGRATED_NOTE}' } });
      },
    },
    `,
    ),
  );
}

/** Adds the member to a message, with an unused field number. */
function appendMember(message: string): (text: string) => string {
  return (text) =>
    text.replace(
      new RegExp(`^message ${message} \\{[^}]*`, 'm'),
      (body) => `${body}  // What a test keeps.\n  string test_note = 1000;\n`,
    );
}
