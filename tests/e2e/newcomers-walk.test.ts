import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { fences } from '../setup/fences.ts';
import { linkedCheckout, PastingShell } from '../setup/walk.ts';

const stack = inject('stack');
let checkout: Awaited<ReturnType<typeof linkedCheckout>>;
let shell: PastingShell;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  checkout = await linkedCheckout(stack);
  shell = await PastingShell.open('bash', checkout.path);
  browser = await openBrowser();
});
afterAll(async () => {
  await shell.close();
  await browser.close();
  await checkout.remove();
});

/** Does what the README asks the person to do: opens the printed address, goes on to the vendor, signs in, allows access, sees the success. */
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

describe('the newcomer’s walk', () => {
  it('works when the README is pasted block by block: OAuth contact, PostgreSQL rows, MCP tool, history', async () => {
    const blocks = await fences('README.md', 'sh walk');
    expect(blocks.length).toBeGreaterThan(5);
    let transcript = '';
    let lastPage = '';
    for (const block of blocks) {
      const printed = await shell.paste(block);
      transcript += `${block}${printed}\n`;
      if (block.includes('get-sign-in-url')) lastPage = await signInAsThePerson(printed);
    }
    expect(lastPage).toMatch(/connected|signed in/i);
    expect(transcript).not.toMatch(/"errorCode"|"isSuccess": ?false|Error:/);
    expect(transcript).toMatch(/"status": ?"completed"/);
    expect(transcript).toMatch(/"name": ?"Ada Lovelace"/);
    expect(transcript).toMatch(/"applicationSlug": ?"postgresql"/);
    expect(transcript).toMatch(/"connectionResolution": ?"default"/);
    expect(transcript).toContain('Echo: hello from Fairlead');
    const history = await shell.paste(
      'api "$BASE/v1/executions" | pick ".items.map(e => e.toolSlug).join()"',
    );
    // Newest first: other tests have used the account before.
    expect(history.trim().split(',').slice(0, 3)).toEqual([
      'echo',
      'postgresql-run-query',
      'sandbox-crm-create-contact',
    ]);
    expect(transcript).not.toContain(stack.sandboxCrm.password);
  });
});
