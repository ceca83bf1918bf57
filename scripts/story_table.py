"""A table of made-up stories for the scripts that measure."""
import math
import random


def make_world(path, count, seed=20):
    """A table of stories: seven of ten around 500 cities of very different sizes, the others anywhere."""
    made = random.Random(seed)
    cities = [(made.uniform(-40, 65), made.uniform(-180, 180), math.exp(made.uniform(1.1, 3.4)) / 111) for _ in range(500)]
    weights = [1 / (place + 8) for place in range(500)]
    chosen = iter(made.choices(cities, weights, k=count))
    kinds = ["interview", "photo", "document", "observation"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("id,title,lat,lon,kind,date\n")
        for number in range(count):
            latitude, longitude, spread = next(chosen)
            if made.random() < 0.3:
                latitude, longitude = made.uniform(-60, 75), made.uniform(-180, 180)
            else:
                latitude += made.gauss(0, spread)
                longitude += made.gauss(0, spread)
            latitude, longitude = max(-85, min(85, latitude)), (longitude + 180) % 360 - 180
            file.write(f"s{number},Story {number},{latitude:.5f},{longitude:.5f},{kinds[number % 4]},{1900 + number % 120}\n")
