import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { fencesOfPage, pagesWithBlocks } from '../setup/fences.ts';
import { isInstalled, PastingShell } from '../setup/walk.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Languages of blocks that show output, pictures or settings, which nobody runs. */
const NOT_CODE: readonly string[] = ['', 'json', 'mermaid', 'promql', 'text', 'yaml'];

/** Code blocks that no test runs: page, beginning of the block, reason. */
const NOT_RUN: readonly (readonly [page: string, beginning: string, reason: string])[] = [
  ['README.md', 'git clone', 'CI itself does both'],
  ['README.md', 'npm ci && npm test', 'this is what CI runs'],
  ['clients/python/README.md', 'from fairlead import', 'the quickstart in examples/, which tests run'],
  ['clients/python/README.md', 'python3 -m venv', 'downloads packages; tests run the example'],
  ['docs/ai.md', 'npm run build -w packages/sdk', 'downloads packages; tests install the same build'],
  [
    'docs/connect.md',
    'npm run build -w packages/sdk',
    'writes to the checkout; tests install the same build',
  ],
  ['docs/mcp.md', 'claude mcp add', 'needs Claude Code'],
  ['docs/on-prem.md', 'npm run agent:release', 'tools/agent-release has a test that builds and installs'],
  ['docs/on-prem.md', 'curl -fsSO', 'needs a server with systemd; tools/agent-release runs the installer'],
  ['docs/operations.md', 'curl -s $(node -p', 'needs the admin port of a stack of its own'],
  ['docs/operations.md', 'docker run', 'needs Docker'],
  ['docs/operations.md', 'npm run migrate', 'changes the databases of an installation'],
  ['docs/operations.md', 'npm run data-keys', 'changes the databases of an installation'],
  ['docs/operations.md', 'mongosh', 'needs mongosh'],
  ['docs/testing.md', 'npx node deploy/docker/stores/build.ts', 'needs a Docker engine'],
  ['docs/production.md', 'kubectl create namespace', 'needs a cluster and your stores'],
  ['docs/production.md', 'helm install', 'tests/cluster installs the chart'],
  ['docs/production.md', 'OPERATOR_KEY=', 'needs a cluster'],
  ['docs/production.md', 'export FAIRLEAD_URL', 'needs an installation with a canary'],
  ['docs/production.md', 'kubectl -n fairlead exec', 'needs a cluster'],
  ['docs/production.md', 'set_key()', 'needs a cluster'],
  [
    'docs/production.md',
    'for service in',
    'changes the databases of an installation; tests/faults/restore.test.ts does, too',
  ],
  ['docs/production.md', 'kubectl delete namespace', 'removes an installation'],
  ['docs/restricted-keys.md', 'npx fairlead toolsets list', 'names a toolset of the reader'],
  ['docs/your-connector.md', 'FURTHER_CONNECTORS=', 'tests/e2e/your-connector.test.ts starts the stack so'],
  ['docs/walk.md', 'node -p "const { ownerEmail', 'the person signs in'],
  ['docs/walk.md', 'npx fairlead keys create', 'needs a sign-in; tests/e2e/cli.test.ts runs the command'],
  [
    'docs/walk.md',
    'npx fairlead users create',
    'asks for a password; tests/e2e/cli.test.ts runs the command',
  ],
  ['packages/agent/README.md', 'npm run agent', 'names an instance and files of the reader'],
  ['packages/cli/README.md', 'npx fairlead login', 'the person signs in'],
  ['packages/cli/README.md', 'node -p "const { ownerEmail', 'the person signs in'],
  ['packages/cli/README.md', 'jq -n', 'needs jq'],
  ['packages/cli/README.md', 'npx buf curl', 'names a port of the reader'],
  ['packages/connector-model/README.md', 'node packages/connector-model', 'writes files of the checkout'],
  ['packages/sdk/README.md', 'import ', 'an excerpt; tests run the whole programs in examples/'],
  ['packages/sdk/README.md', 'dev() {', 'tests/e2e/sdk-examples.test.ts runs the example'],
];

/** Sources of tests that may run blocks of pages. */
async function testSources(): Promise<readonly string[]> {
  const folders = ['tests/e2e', 'packages/cli/src', 'packages/sdk/src'];
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true }))
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(root, folder, name)),
    ),
  );
  return Promise.all(names.flat().map((name) => readFile(name, 'utf8')));
}

interface Block {
  readonly page: string;
  readonly info: string;
  readonly text: string;
}

/** All code blocks of the pages. */
async function blocksOfCode(): Promise<readonly Block[]> {
  const pages = await pagesWithBlocks();
  const blocks = await Promise.all(
    pages.map(async (page) => (await fencesOfPage(page)).map((fence) => ({ page, ...fence }))),
  );
  return blocks.flat().filter(({ info }) => !NOT_CODE.includes(info.split(' ')[0] ?? ''));
}

const isTagged = ({ info }: Block): boolean => info.includes(' ');

test('the README has at most 900 words, as wc counts them', async () => {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  expect(text.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(900);
});

test('docs/performance.md has at most 900 words, those of its tables included', async () => {
  const text = await readFile(join(root, 'docs/performance.md'), 'utf8');
  expect(text.split(/\s+/).filter((word) => /[a-z\d]/i.test(word)).length).toBeLessThanOrEqual(900);
});

describe('blocks of the README and the guides', () => {
  test('each block of code has a tag that a test takes it by, or is listed with the reason', async () => {
    const sources = await testSources();
    const isTaken = ({ page, info }: Block): boolean =>
      sources.some((source) => source.includes(`'${page}'`) && source.includes(`'${info}'`));
    const isListed = ({ page, text }: Block): boolean =>
      NOT_RUN.some(([of, beginning]) => of === page && text.startsWith(beginning));
    const unknown = (await blocksOfCode()).filter((block) =>
      isTagged(block) ? !isTaken(block) : !isListed(block),
    );
    expect(unknown.map(({ page, info, text }) => `${page}: ${info}: ${text.split('\n')[0]}`)).toEqual([]);
  });

  test('the list names no block that is gone or has a tag', async () => {
    const untagged = (await blocksOfCode()).filter((block) => !isTagged(block));
    const gone = NOT_RUN.filter(
      ([of, beginning]) => !untagged.some(({ page, text }) => page === of && text.startsWith(beginning)),
    );
    expect(gone).toEqual([]);
  });

  test('a block that shows output holds no command to paste', async () => {
    const command = /^(?:\$ )?(?:npm|npx|node|curl|git|pip|python3?|docker|helm|kubectl|export) /m;
    const pages = await pagesWithBlocks();
    const outputs = await Promise.all(
      pages.map(async (page) =>
        (await fencesOfPage(page))
          .filter(({ info, text }) => info === '' && command.test(text))
          .map(({ text }) => `${page}: ${text}`),
      ),
    );
    expect(outputs.flat()).toEqual([]);
  });

  test('no pasted block has a comment: zsh runs it as a command', async () => {
    const pasted = (await blocksOfCode()).filter(({ info }) => info === 'sh walk');
    expect(pasted.length).toBeGreaterThan(0);
    expect(pasted.filter(({ text }) => /(?:^|\s)# /m.test(text))).toEqual([]);
  });
});

describe.each(['bash', 'zsh'] as const)('pasting into %s', (name) => {
  test('prints what a terminal shows, and fails when a command swallows a line of the block', async ({
    skip,
  }) => {
    skip(!isInstalled(name), `${name} or script is not installed: nothing is pasted into ${name}`);
    const shell = await PastingShell.open(name, tmpdir());
    try {
      const block = `greet() {\n  echo "Hello $1"\n}\ngreet Ada\ncat <<'END'\n\nfrom a document\nEND\nprintf 'no new line'`;
      expect(await shell.paste(block)).toBe('Hello Ada\n\nfrom a document\nno new line');
      await expect(shell.paste('head -n 1\necho swallowed\necho read')).rejects.toThrow(/: echo swallowed/);
      expect(await shell.paste('greet Grace')).toBe('Hello Grace\n');
    } finally {
      await shell.close();
    }
  });
});
