"""What py-fsrs says of histories of reviews: one a line, each review as DAYS:RATING, days after the one before.

Prints a line for each: after every review stability, difficulty, interval in days, and the probability of recall before it.
"""

import datetime
import sys

from fsrs import Card, Rating, Scheduler

model = Scheduler(desired_retention=0.9, learning_steps=(), relearning_steps=(), enable_fuzzing=False)
for line in sys.stdin:
    card = Card(card_id=1)
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    told = []
    for review in line.split():
        days, rating = map(int, review.split(":"))
        now += datetime.timedelta(days=days)
        recall = model.get_card_retrievability(card, now)
        card, _ = model.review_card(card, Rating(rating), now)
        told.append(f"{card.stability!r},{card.difficulty!r},{(card.due - now).days},{recall!r}")
    print(" ".join(told))
