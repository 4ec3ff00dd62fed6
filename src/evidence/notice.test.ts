import { expect, test } from 'vitest';
import { isDefinition, isMethodSentence, isNoticeSentence } from './notice.ts';

test.each([
  ['We use cookies to improve your experience.', true],
  ['By continuing to browse you accept our terms.', true],
  ['Sign up for our newsletter to read more.', true],
  ['Diese Website verwendet Cookies.', true],
  ['Este sitio utiliza cookies propias.', true],
  ['当サイトではクッキーを使用しています。', true],
  ['本网站使用Cookie来改善您的体验。', true],
  ['© 2024 Valley Water Board. All rights reserved.', true],
  ['This page was last updated on 30 October.', true],
  ['Please tell us what you think of this page.', true],
  ['Start your free trial of the pump finder today.', true],
  ['Our experts have compared every heat pump for you.', true],
  ['In this article we will look at heat pumps and what they cost.', true],
  ['In diesem Artikel erfahren Sie, was eine Wärmepumpe kostet.', true],
  ['En este artículo veremos cuánto cuesta una bomba de calor.', true],
  ['この記事ではヒートポンプの費用を詳しく解説します。', true],
  ['今天小编带大家了解热泵的价格。', true],
  ['Comments are open until Sunday.', true],
  ['This report describes the condition of the lake.', true],
  ['On this page you find everything about the tram.', true],
  ['We hope that this article has answered your questions about cable cars.', true],
  ['Many people ask us about cable cars.', true],
  ['Bookmark it and check back often.', true],
  ['Viele Menschen fragen sich, was eine Seilbahn kostet.', true],
  ['Muchas personas se preguntan cuánto cuesta un teleférico.', true],
  ['ぜひ最後までご覧ください。', true],
  ['今回はスキー場についてご紹介しました。', true],
  ['以上就是关于缆车的全部内容。', true],
  ['We hope to open the cable car in May.', false],
  ['Many people ask for tickets at the valley station.', false],
  ['この制度は高齢者のお役に立てている。', false],
  ['このスキー場は最後まで残った一つだった。', false],
  ['This report of the council was burnt in 1911.', false],
  ['The opening hours of the museum are 9 to 17.', false],
  ['The Basic plan has a free trial of 14 days and needs no credit card.', false],
  ['Get a quote from at least three roofers.', false],
  ['In this article we show that wetlands remove nitrate.', false],
  ['This paper presents the first map of the reef.', false],
  ['The free trials of the pilots ended in 1911.', false],
  ['In this article of the treaty, fishing is forbidden.', false],
  ['The page of the ledger was updated by hand.', false],
  ['A cookie is a small file that a server stores in a browser.', false],
  ['The bakery sells cookies and bread.', false],
  ['The privacy of letters was protected by law in 1911.', false],
])('a notice of a site is told from what it says: %s', (sentence, expected) => {
  expect(isNoticeSentence(sentence)).toBe(expected);
});

test.each([
  ['We interviewed 40 growers in two valleys.', true],
  ['Patients were randomly assigned to one of two groups.', true],
  ['The study compared 11,300 households with their neighbours.', true],
  ['Für die Umfrage wurden 900 Haushalte angerufen.', true],
  ['Se analizaron 300 muestras de agua.', true],
  ['Nous avons interrogé 40 vignerons.', true],
  ['全国の1200人を対象に調査した。', true],
  ['The study found that installations had doubled.', false],
  ['We lost half of our vines in two years.', false],
])('%s: how something was found out? %s', (sentence, expected) => {
  expect(isMethodSentence(sentence)).toBe(expected);
});

test.each([
  ['Merrow Bridge is a steel road bridge over the Varrow.', true],
  ['Tollan was one of the largest mills of the county.', true],
  ['Le Tramway est une ligne de la ville.', true],
  ['The root cause was a crack in a fitting.', false],
  ['Merrow Bridge was closed in May.', false],
])('%s: a definition? %s', (sentence, expected) => {
  expect(isDefinition(sentence)).toBe(expected);
});
