import type { WebPage } from '../page-web.ts';

/** Two small webs, written for the example reports: pages that answer, agree and differ, and pages that share only words. */
export interface ExampleWeb {
  name: string;
  query: string;
  pages: WebPage[];
}

const page = (host: string, date: string, title: string, ...paragraphs: string[]): WebPage => ({
  url: `https://${host}/page`,
  title,
  date,
  text: paragraphs.join('\n\n'),
});

const NOISE = [
  page(
    'football-notes.example',
    '2024-05-04',
    'The long season',
    'The long season ended with a draw, and the club now pays for new seats. Who repairs the roof is open.',
    'The coach said that length of service counts for little. Players who wait long are paid less.',
  ),
  page(
    'kitchen-letters.example',
    '2023-11-12',
    'How long to bake bread',
    'How long bread bakes depends on the oven. A long loaf takes forty minutes, a wall of buns takes twenty.',
    'Current recipes state the weight of the flour. The state of the dough tells when it is ready.',
  ),
];

export const EXAMPLE_WEBS: ExampleWeb[] = [
  {
    name: 'canal',
    query: 'How long is the Aldana Canal, and who pays for its repair?',
    pages: [
      page(
        'valley-water-board.example',
        '2024-03-02',
        'The Aldana Canal in figures',
        'The Aldana Canal is 42 kilometres long. It serves 1,100 farms between the headgate and the lower mill.',
        'Repair of the Aldana Canal is paid for by the farms, through a fee of nine dollars for each hectare.',
        'The board meets four times a year in the old customs house.',
      ),
      page(
        'ribero-archive.example',
        '2019-08-21',
        'A short history of the canal',
        'The Aldana Canal is 45 kilometres long, measured from the headgate to the sea.',
        'Marta Ribero paid for the first repair of the Aldana Canal in 1934, after the spring flood.',
        'Her letters are kept in eleven boxes and can be read on request.',
      ),
      page(
        'aldana-times.example',
        '2025-01-15',
        'Farms to pay more for the canal',
        'The farms pay for the repair of the Aldana Canal through a fee for each hectare. The fee was last raised in 2021.',
        'The Aldana Canal needs new gates in three places, and the repair is to take two winters.',
      ),
      ...NOISE,
    ],
  },
  {
    name: 'sea-wall',
    query: 'What is the current state of the sea wall at Port Ferrin?',
    pages: [
      page(
        'ferrin-council.example',
        '2025-06-30',
        'Sea wall report 2025',
        'The sea wall at Port Ferrin is safe for the next five winters, the engineers wrote in June 2025.',
        'Two of the nine sections of the sea wall at Port Ferrin still have cracks below the water line.',
      ),
      page(
        'harbour-daily.example',
        '2023-02-11',
        'Storm opens the sea wall',
        'The storm of February 2023 broke the sea wall at Port Ferrin in four places.',
        'The council of Port Ferrin closed the road behind the sea wall for a month.',
      ),
      page(
        'coast-history.example',
        '2011-09-01',
        'Walls of the coast',
        'The sea wall at Port Ferrin was built from granite blocks in 1887.',
        'Older walls of the coast were made of oak and clay.',
      ),
      ...NOISE,
    ],
  },
];
