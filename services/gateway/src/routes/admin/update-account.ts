import { z } from 'zod';
import { accountRecord, presentAccount } from '@fairlead/rest-records/account';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { accountSettings, settingsMessage } from './account-settings.ts';

const body = z.object(accountSettings).meta({ id: 'UpdateAccountRequest' });

export const updateAccount = defineRoute(
  {
    operationId: 'updateAccount',
    method: 'patch',
    path: '/admin/v1/account',
    tags: ['Administration'],
    summary: 'Change settings of the account',
    description:
      'A member or budget that is left out keeps its value. Consumes no budget, so that an exhausted budget can be raised. An account has 10 calls a second of this path.',
    services: ['account'],
    resource: 'account',
    permission: 'administration',
    budget: 'exempt',
    body,
    response: accountRecord,
  },
  async ({ ctx, body: change, services }) => {
    const { account } = await services.account.updateAccount(ctx, { settings: settingsMessage(change) });
    return presentAccount(required(account));
  },
);
