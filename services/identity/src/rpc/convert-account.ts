import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DEFAULT_LICENCE_VALUES } from '@fairlead/access/proto-enums';
import { DefaultLicence as LicenceMessage } from '@fairlead/contracts/identity/v1/account_pb';
import type { AccountSchema, AccountSettings } from '@fairlead/contracts/identity/v1/account_pb';
import type {
  CreateAccountRequest,
  CreateAccountResponseSchema,
} from '@fairlead/contracts/identity/v1/operator_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import { Secret } from '@fairlead/service-kit/secret';
import type { Account, AccountChange } from '../domain/records.ts';
import type { CreatedAccount, NewAccount } from '../use-cases/create-account.ts';
import { toUser } from './convert-user.ts';
import { fromValue } from './from-value.ts';

/** An account; absent `erasingAt`: it is open. */
export function toAccount(account: Account): MessageInitShape<typeof AccountSchema> {
  const { erasingAt } = account;
  return {
    id: account.id,
    name: account.name,
    isRbacEnabled: account.isRbacEnabled,
    defaultLicence: DEFAULT_LICENCE_VALUES[account.defaultLicence],
    maxConnectionsPerEndUser: account.maxConnectionsPerEndUser,
    budgets: account.budgets,
    ...(erasingAt === null ? {} : { erasingAt: timestampFromDate(erasingAt) }),
    createdAt: timestampFromDate(account.createdAt),
    updatedAt: timestampFromDate(account.updatedAt),
  };
}

/** The settings to change; absent ones are left out. */
export function fromSettings(settings: AccountSettings | undefined): AccountChange {
  if (settings === undefined) return {};
  const { name, isRbacEnabled, defaultLicence, maxConnectionsPerEndUser, budgets } = settings;
  return {
    ...(name !== undefined && { name }),
    ...(isRbacEnabled !== undefined && { isRbacEnabled }),
    ...(defaultLicence !== LicenceMessage.UNSPECIFIED && {
      defaultLicence: fromValue(DEFAULT_LICENCE_VALUES, defaultLicence, 'defaultLicence'),
    }),
    ...(maxConnectionsPerEndUser !== undefined && { maxConnectionsPerEndUser }),
    ...(budgets !== undefined && { budgets: fromBudgets(budgets) }),
  };
}

type BudgetSettings = NonNullable<AccountSettings['budgets']>;

function fromBudgets(budgets: BudgetSettings): NonNullable<AccountChange['budgets']> {
  const { burstPerSecond, hourly, searchPerSecond, searchPerHour, triggerTestPerMinute, hookPerSecond } =
    budgets;
  return {
    ...(burstPerSecond !== undefined && { burstPerSecond }),
    ...(hourly !== undefined && { hourly }),
    ...(searchPerSecond !== undefined && { searchPerSecond }),
    ...(searchPerHour !== undefined && { searchPerHour }),
    ...(triggerTestPerMinute !== undefined && { triggerTestPerMinute }),
    ...(hookPerSecond !== undefined && { hookPerSecond }),
  };
}

export function fromCreateAccountRequest(request: CreateAccountRequest): NewAccount {
  const { ownerEmail, ownerName, ownerPassword } = request;
  const { name, ...settings } = fromSettings(request.settings);
  if (name === undefined) throw validationError({ field: 'name', issue: 'is required' });
  return {
    ...settings,
    name,
    ownerEmail,
    ownerName,
    ownerPassword: ownerPassword === undefined ? undefined : new Secret(ownerPassword),
  };
}

/** A created account with its owner and the owner's first key. */
export function toCreateAccountResponse({
  account,
  owner,
  apiKey,
}: CreatedAccount): MessageInitShape<typeof CreateAccountResponseSchema> {
  return { account: toAccount(account), owner: toUser(owner), apiKey: apiKey.reveal() };
}
