import { globSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { getOption } from '@bufbuild/protobuf';
import { subject as subjectOption } from '@fairlead/contracts/common/v1/event_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { expect, test } from 'vitest';

type Schema = Parameters<typeof defineEvent>[0];

const generated = fileURLToPath(new URL('../../packages/contracts/gen/', import.meta.url));

/** The messages of every `*_events.proto`, and other messages with a subject. */
async function eventMessages(): Promise<readonly Schema[]> {
  const files = (await readdir(generated, { recursive: true })).filter((name) => name.endsWith('_pb.js'));
  const modules = await Promise.all(
    files.map(
      async (name) => (await import(pathToFileURL(join(generated, name)).href)) as Record<string, unknown>,
    ),
  );
  // Generated: each such module contains its file's descriptor.
  const descriptors = modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      name.startsWith('file_')
        ? [value as { readonly name: string; readonly messages: readonly Schema[] }]
        : [],
    ),
  );
  return descriptors.flatMap(({ name, messages }) =>
    messages.filter((schema) => name.endsWith('_events') || getOption(schema, subjectOption) !== ''),
  );
}

test('every event has a well-formed subject, of its own and in the domain of its package', async () => {
  const messages = await eventMessages();
  expect(messages.length).toBeGreaterThan(1);
  const events = messages.map((schema) => defineEvent(schema));
  for (const { schema, subject } of events) {
    expect(subject.split('.')[1]).toBe(schema.typeName.split('.')[1]);
    expect(subject.split('.').at(-1)).toBe(schema.typeName.split('.')[2]);
  }
  const subjects = events.map(({ subject }) => subject);
  expect(new Set(subjects).size).toBe(subjects.length);
});

test('a message without one is not an event', async () => {
  const { ErrorDetailSchema } = await import('@fairlead/contracts/common/v1/error_pb');
  expect(() => defineEvent(ErrorDetailSchema)).toThrow('fairlead.common.v1.ErrorDetail has no subject');
});

test('a subject is written down in the protos only', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const files = globSync('services/*/src/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  for (const name of files) {
    expect(await readFile(join(root, name), 'utf8'), name).not.toMatch(/['"`]fairlead\.\w+\.\w+\.\w+\.v\d/);
  }
});

test('docs/architecture.md lists each subject once', async () => {
  const page = await readFile(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `(fairlead\.[\w.-]+)`/gm)].map(([, subject = '']) => subject);
  const declared = (await eventMessages()).map((schema) => defineEvent(schema).subject);
  expect(listed.toSorted()).toEqual(declared.toSorted());
});
