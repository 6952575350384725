import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { catalogueOf, testConnector, testTriggerType } from '../testing/connectors.ts';
import { resolveTriggerType } from './resolve-trigger-type.ts';

const catalogue = catalogueOf(testConnector('crm', { triggerTypes: [testTriggerType('crm-deal-updated')] }));

it('finds a trigger type with its application, and is NOT_FOUND for another slug', async () => {
  const found = await resolveTriggerType({ catalogue }, testContext(), 'crm-deal-updated');
  expect([found.application.connector.slug, found.triggerType.slug]).toEqual(['crm', 'crm-deal-updated']);
  const unknown = resolveTriggerType({ catalogue }, testContext(), 'crm-deal');
  await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
