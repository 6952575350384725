import { z } from 'zod';
import { operatedAccountRecord, presentOperatedAccount } from '@fairlead/rest-records/operated-account';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { accountSettings, settingsMessage } from '../admin/account-settings.ts';
import { accountParams } from './account-params.ts';

const body = z.object(accountSettings).meta({ id: 'UpdateOperatedAccountRequest' });

export const updateOperatedAccount = defineRoute(
  {
    operationId: 'updateOperatedAccount',
    method: 'patch',
    path: '/operator/v1/accounts/{accountId}',
    tags: ['Operator'],
    summary: 'Change settings of an account',
    description:
      'A member or budget that is left out keeps its value. Changes apply on every replica within two seconds.',
    auth: 'operator',
    services: ['operator'],
    params: accountParams,
    resource: 'account',
    body,
    response: operatedAccountRecord,
  },
  async ({ ctx, params: { accountId }, body: change, services }) => {
    const settings = settingsMessage(change);
    const { account } = await services.operator.changeAccount(ctx, { accountId, settings });
    return presentOperatedAccount(required(account));
  },
);
