import * as z from 'zod';
import { type Tool, tool } from '../../../src/tools/tool.ts';
import { deliver, type Inbox } from './email.ts';

interface Event {
  id_: string;
  title: string;
  description: string;
  /** YYYY-MM-DD, a T or a space, HH:MM. */
  start_time: string;
  end_time: string;
  location: string | null;
  participants: string[];
  all_day: boolean;
  status: 'confirmed' | 'canceled';
}

const Event: z.ZodType<Event> = z.object({
  id_: z.string(),
  title: z.string(),
  description: z.string(),
  start_time: z.string(),
  end_time: z.string(),
  location: z.string().nullable().default(null),
  participants: z.array(z.string()).default([]),
  all_day: z.boolean().default(false),
  status: z.enum(['confirmed', 'canceled']).default('confirmed'),
});

export const Calendar: z.ZodType<Calendar> = z.object({
  account_email: z.string(),
  current_day: z.string(),
  initial_events: z.array(Event),
});
export interface Calendar {
  account_email: string;
  current_day: string;
  initial_events: Event[];
}

export interface Diary {
  inbox: Inbox;
  calendar: Calendar;
}

/** The events of a day, `YYYY-MM-DD`. */
export function eventsOn({ initial_events }: Calendar, day: string): Event[] {
  return initial_events.filter(({ start_time }) => start_time.startsWith(day));
}

/** Those that both suites with a calendar have. */
export function calendarTools(world: () => Diary): Tool[] {
  return [createEvent(world), searchEvents(world), dayEvents(world), cancelEvent(world)];
}

/** Those of an office. */
export function officeCalendarTools(world: () => Diary): Tool[] {
  return [
    ...calendarTools(world),
    tool({
      name: 'get_current_day',
      description: 'Gives the current day as YYYY-MM-DD.',
      input: z.object({}),
      effect: 'read',
      trust: 'trusted',
      run: () => world().calendar.current_day,
    }),
    tool({
      name: 'reschedule_calendar_event',
      description: 'Moves an event and tells its participants.',
      input: z.object({ event_id: z.string(), new_start_time: z.string(), new_end_time: z.string() }),
      effect: 'write',
      run: ({ event_id, new_start_time, new_end_time }) => {
        const event = eventOf(world().calendar, event_id);
        Object.assign(event, { start_time: new_start_time, end_time: new_end_time });
        return tell(world().inbox, event, 'Rescheduled');
      },
    }),
    tool({
      name: 'add_calendar_event_participants',
      description: 'Adds people to an event.',
      input: z.object({ event_id: z.string(), participants: z.array(z.string()) }),
      effect: 'write',
      run: ({ event_id, participants }) => {
        const event = eventOf(world().calendar, event_id);
        event.participants.push(...participants);
        return event;
      },
    }),
  ];
}

function createEvent(world: () => Diary): Tool {
  return tool({
    name: 'create_calendar_event',
    description: 'Creates an event and invites its participants by email. Times are YYYY-MM-DD HH:MM.',
    input: z.object({
      title: z.string(),
      start_time: z.string(),
      end_time: z.string(),
      description: z.string().optional(),
      participants: z.array(z.string()).optional(),
      location: z.string().optional(),
    }),
    effect: 'write',
    run: ({ description = '', participants = [], location = null, ...when }) => {
      const { calendar, inbox } = world();
      const id = Math.max(0, ...calendar.initial_events.map(({ id_ }) => Number(id_))) + 1;
      const event: Event = {
        id_: String(id),
        ...when,
        description,
        location,
        participants: [...new Set([...participants, calendar.account_email])],
        all_day: false,
        status: 'confirmed',
      };
      calendar.initial_events.push(event);
      return tell(inbox, event, 'Invitation');
    },
  });
}

function searchEvents(world: () => Diary): Tool {
  return tool({
    name: 'search_calendar_events',
    description: 'Finds events by a text in title or description, perhaps on one day.',
    input: z.object({ query: z.string(), date: z.string().optional() }),
    effect: 'read',
    run: ({ query, date }) => {
      const { calendar } = world();
      const wanted = query.toLowerCase();
      const found = (date === undefined ? calendar.initial_events : eventsOn(calendar, date)).filter(
        ({ title, description }) => `${title}\n${description}`.toLowerCase().includes(wanted),
      );
      if (found.length === 0) throw new Error('no event fits; try another query');
      return found;
    },
  });
}

function dayEvents(world: () => Diary): Tool {
  return tool({
    name: 'get_day_calendar_events',
    description: 'Gives the events of a day, YYYY-MM-DD.',
    input: z.object({ day: z.string() }),
    effect: 'read',
    run: ({ day }) => eventsOn(world().calendar, day),
  });
}

function cancelEvent(world: () => Diary): Tool {
  return tool({
    name: 'cancel_calendar_event',
    description: 'Cancels an event and tells its participants.',
    input: z.object({ event_id: z.string() }),
    effect: 'irreversible',
    run: ({ event_id }) => {
      const event = eventOf(world().calendar, event_id);
      event.status = 'canceled';
      return tell(world().inbox, event, 'Canceled');
    },
  });
}

function eventOf({ initial_events }: Calendar, id: string): Event {
  const event = initial_events.find(({ id_ }) => id_ === id);
  if (!event) throw new Error(`there is no event with the id ${id}`);
  return event;
}

function tell(inbox: Inbox, event: Event, what: string): Event {
  deliver(inbox, { recipients: event.participants, subject: `${what}: ${event.title}`, body: event.description });
  return event;
}
