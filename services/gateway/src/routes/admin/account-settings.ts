import type { MessageInitShape } from '@bufbuild/protobuf';
import { DEFAULT_LICENCE_VALUES } from '@fairlead/access/proto-enums';
import type { AccountSettingsSchema } from '@fairlead/contracts/identity/v1/account_pb';
import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import {
  BUDGET_TEXTS,
  budget,
  defaultLicence,
  maxConnectionsPerEndUser,
} from '@fairlead/rest-records/account';

export const accountName = text(1, 200);

/** The account settings that can be changed; an absent member keeps its value. */
export const accountSettings = {
  name: accountName.exactOptional(),
  isRbacEnabled: z.boolean().exactOptional(),
  defaultLicence: defaultLicence.exactOptional(),
  maxConnectionsPerEndUser: maxConnectionsPerEndUser.exactOptional(),
  budgets: z
    .object({
      burstPerSecond: budget.exactOptional().describe(BUDGET_TEXTS.burstPerSecond),
      hourly: budget.exactOptional().describe(BUDGET_TEXTS.hourly),
      searchPerSecond: budget.exactOptional().describe(BUDGET_TEXTS.searchPerSecond),
      searchPerHour: budget.exactOptional().describe(BUDGET_TEXTS.searchPerHour),
      triggerTestPerMinute: budget.exactOptional().describe(BUDGET_TEXTS.triggerTestPerMinute),
      hookPerSecond: budget.exactOptional().describe(BUDGET_TEXTS.hookPerSecond),
    })
    .exactOptional()
    .describe('A budget that is left out keeps its value.'),
};

/** The settings as the identity service takes them. */
export function settingsMessage({
  defaultLicence: licence,
  ...settings
}: z.output<z.ZodObject<typeof accountSettings>>): MessageInitShape<typeof AccountSettingsSchema> {
  return { ...settings, ...(licence !== undefined && { defaultLicence: DEFAULT_LICENCE_VALUES[licence] }) };
}
