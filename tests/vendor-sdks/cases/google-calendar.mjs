import { calendar } from '@googleapis/calendar';

const at = (url) => calendar({ version: 'v3', rootUrl: `${url}/`, retry: false });

export const origin = 'https://www.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-calendar-get-event',
    input: { id: 'e1' },
    sdk: (url) => at(url).events.get({ calendarId: 'primary', eventId: 'e1' }),
  },
  {
    tool: 'google-calendar-quick-add-event',
    input: { text: 'Lunch at noon' },
    sdk: (url) => at(url).events.quickAdd({ calendarId: 'primary', text: 'Lunch at noon' }),
  },
  {
    tool: 'google-calendar-move-event',
    input: { id: 'e1', destination: 'c2' },
    sdk: (url) => at(url).events.move({ calendarId: 'primary', eventId: 'e1', destination: 'c2' }),
  },
  {
    tool: 'google-calendar-delete-event',
    input: { id: 'e1' },
    sdk: (url) => at(url).events.delete({ calendarId: 'primary', eventId: 'e1' }),
  },
  {
    tool: 'google-calendar-get-calendar',
    input: {},
    sdk: (url) => at(url).calendars.get({ calendarId: 'primary' }),
  },
  {
    tool: 'google-calendar-create-calendar',
    input: { summary: 'Team' },
    sdk: (url) => at(url).calendars.insert({ requestBody: { summary: 'Team' } }),
  },
  {
    tool: 'google-calendar-update-calendar',
    input: { calendarId: 'c1', summary: 'All' },
    sdk: (url) => at(url).calendars.patch({ calendarId: 'c1', requestBody: { summary: 'All' } }),
  },
];
