import { freePort } from '@fairlead/local-stores/ports';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { fences } from '../setup/fences.ts';
import { isInstalled, linkedCheckout, PastingShell } from '../setup/walk.ts';
import type { ShellName } from '../setup/walk.ts';

const stack = inject('stack');
let checkout: Awaited<ReturnType<typeof linkedCheckout>>;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  checkout = await linkedCheckout(stack);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await checkout.remove();
});

/** Does the person's part of the walk: opens the printed address, goes to the vendor, signs in, allows access, sees the success page. */
async function signInAsThePerson(printed: string): Promise<string> {
  const address = /http:\/\/\S+\/connect\/start\/\S+/.exec(printed)?.[0];
  if (address === undefined) throw new Error(`No sign-in address was printed:\n${printed}`);
  const page = await browser.context.newPage();
  await page.goto(address);
  await page.getByRole('button', { name: /continue to sandbox crm/i }).click();
  await page.getByLabel(/e-?mail/i).fill(stack.sandboxCrm.user);
  await page.getByLabel(/password/i).fill('a wrong one first');
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel(/e-?mail/i).fill(stack.sandboxCrm.user);
  await page.getByLabel(/password/i).fill(stack.sandboxCrm.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByRole('button', { name: /allow/i }).click();
  await page.waitForURL(`${stack.baseUrl}/connect/**`);
  return page.locator('body').innerText();
}

/** Two free ports for the README's programs with fixed ports. */
async function freePorts(): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < 2) ports.add(await freePort());
  return [...ports];
}

/** Pastes code blocks in order, and does the person's part after a block; returns everything printed. */
async function pasteAll(
  name: ShellName,
  blocks: readonly string[],
  afterBlock: (block: string, printed: string) => Promise<void> = async () => {},
): Promise<string> {
  const shell = await PastingShell.open(name, checkout.path);
  try {
    let transcript = '';
    for (const block of blocks) {
      const printed = await shell.paste(block);
      transcript += `${block}${printed}\n`;
      await afterBlock(block, printed);
    }
    expect(transcript).not.toMatch(/"errorCode"|"isSuccess": ?false|Error:|not found/);
    return transcript;
  } finally {
    await shell.close();
  }
}

describe.each(['bash', 'zsh'] as const)('the five steps of the README, pasted into %s', (name) => {
  it('end with an agent’s call and a received event', async ({ skip }) => {
    skip(!isInstalled(name), `${name} or script is not installed: the README is not pasted into ${name}`);
    const [model, receiver] = await freePorts();
    const blocks = (await fences('README.md', 'sh walk')).map((block) =>
      block.replaceAll('4010', String(model)).replaceAll('3000', String(receiver)),
    );
    const transcript = await pasteAll(name, blocks);
    expect(transcript).toContain('sandbox-crm-create-contact\n');
    expect(transcript).toMatch(/"connectionName":"My CRM",.*"status":"Active"/);
    expect(transcript).toMatch(/"name":"Grace Hopper"/);
    expect(transcript).toMatch(/^Created Ada Lovelace\.\nsandbox-crm-create-contact {2}true$/m);
    expect(transcript).toMatch(/^te_\w+ http_webhook$/m); // the receiver prints this line itself
    expect(transcript).toMatch(/"delivery":"delivered".*"attempt":1,"state":"delivered"/);
  });
});

// The blocks of the long walk have the same form as the README's, so one shell suffices.
describe('the long walk, pasted into bash', () => {
  it('has an OAuth contact, PostgreSQL rows, an MCP tool, a dead letter, the history', async ({ skip }) => {
    skip(!isInstalled('bash'), 'bash or script is not installed: the walk is not pasted');
    let lastPage = '';
    let signInUrl = '';
    const blocks = await fences('docs/walk.md', 'sh walk');
    const transcript = await pasteAll('bash', blocks, async (block, printed) => {
      if (block.includes('get-sign-in-url')) signInUrl = printed;
      if (block.includes('sandboxCrm.password')) lastPage = await signInAsThePerson(signInUrl);
    });
    expect(lastPage).toMatch(/connected|signed in/i);
    expect(transcript).toMatch(/"status": ?"completed"/);
    expect(transcript).toMatch(/"type":"http","method":"POST",.*"historyId":null/);
    expect(transcript).toMatch(/"name": ?"Ada Lovelace"/);
    expect(transcript).toMatch(/"connectionName":"Sample database",.*"applicationSlug": ?"postgresql"/);
    expect(transcript).toMatch(/"connectionResolution": ?"default"/);
    expect(transcript).toContain('Echo: hello from Fairlead');
    expect(transcript).toContain('"state":"dead_lettered"');
    // Newest first, because other tests have used the account before.
    expect(transcript).toMatch(
      /^\d+ {2}echo {2}true\n\d+ {2}postgresql-run-query {2}true\n\d+ {2}sandbox-crm-create-contact {2}true$/m,
    );
    expect(transcript).toMatch(/^RateLimit-Policy: "burst"/m);
    expect(transcript).toMatch(/^Name +Harbour$/m);
  });
});
