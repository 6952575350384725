import type { PlanRun } from './plan-run.ts';

/** Examples of accounts and canaries, for the operator. */
export async function operatorExamples(run: PlanRun): Promise<void> {
  const { mark } = run.surroundings;
  const body = { name: 'Acme Europe', ownerEmail: `europe${mark}@example.com` };
  const { accountId } = await run.example('createAccount', { body });
  const params = { accountId };
  await run.example('getOperatedAccount', { params });
  await run.example('listAccounts', { query: { top: 1 } });
  await run.example('updateOperatedAccount', { params, body: { isRbacEnabled: true } });
  await run.example('exportAccount', { params });
  await run.example('verifyAuditLog', { params });
  await run.example('listPlatformAuditEntries', { query: { top: 1 } });
  await run.example('verifyPlatformAuditLog');
  await run.example('deleteAccount', { params });
  await run.example('rotateSigningKey');
  const canary = { service: 'catalog' };
  await run.example('updateCanary', { params: canary, body: { weight: 10 } });
  await run.example('promoteCanary', { params: canary });
  await run.example('abortCanary', { params: canary });
  await run.example('listCanaries');
}
